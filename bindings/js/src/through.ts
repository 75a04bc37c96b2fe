// A stream that is read, changed and passed on.

export type Emit<Out> = (out: Out) => void;

/** What makes one stream of another. */
export interface Change<In, Out> {
  push(chunk: In, emit: Emit<Out>): void;
  /** Called at the end of the stream, however it ends: what it emits comes before an error. */
  end(emit: Emit<Out>): void;
}

/**
 * The changed stream. Unlike with a `TransformStream`, the change can say what is left when the source fails. Nothing is
 * read ahead, and who cancels it cancels the source.
 */
export function through<In, Out>(source: ReadableStream<In>, change: Change<In, Out>): ReadableStream<Out> {
  const reader = source.getReader();
  let failure: { error: unknown } | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Out>): Promise<void> => {
    if (failure) return controller.error(failure.error);
    let hasEmitted = false;
    const emit = (out: Out) => {
      hasEmitted = true;
      controller.enqueue(out);
    };
    while (!hasEmitted) {
      const next = await reader.read().catch((error: unknown) => void (failure = { error }));
      if (next && !next.done) change.push(next.value, emit);
      else {
        change.end(emit);
        // An error takes away what has not been read, so it waits for the next call.
        if (next) return controller.close();
        if (!hasEmitted) return controller.error(failure!.error);
      }
    }
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}
