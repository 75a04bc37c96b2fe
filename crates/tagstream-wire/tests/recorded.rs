//! The recorded streams in `cases/wire`, in every cut.

mod support;

use serde_json::Value;
use std::fs;
use support::{Recorded, Rng, events, folder, messages, profile, recorded};
use tagstream_wire::{Format, Framing};

/// Runs a check on every stream, and names all that fail.
fn each(check: impl Fn(&Recorded) -> Result<(), String>) {
    let all = recorded();
    let failed: Vec<String> = all
        .iter()
        .filter_map(|stream| {
            check(stream)
                .err()
                .map(|why| format!("{}: {why}", stream.name))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {}:\n{}",
        failed.len(),
        all.len(),
        failed.join("\n")
    );
}

/// Compares those keys that are given.
fn compare(got: &[Value], expected: &Value) -> Result<(), String> {
    let expected = expected.as_array().unwrap();
    let only = |(got, expected): (&Value, &Value)| -> Value {
        let keys = expected.as_object().unwrap().keys();
        keys.map(|key| (key.clone(), got[key].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let asked: Vec<Value> = got.iter().zip(expected).map(only).collect();
    if got.len() == expected.len() && asked == *expected {
        return Ok(());
    }
    Err(format!(
        "it is {}\nnot {}",
        Value::from(got),
        Value::from(expected.clone())
    ))
}

#[test]
fn every_stream_gives_its_message() {
    each(|stream| {
        let got = messages(&profile(), stream.format, [&stream.bytes[..]]);
        compare(&got, &stream.expect)
    });
}

#[test]
fn every_stream_is_recognised_by_what_arrives() {
    each(|stream| {
        for cut in [stream.bytes.len(), 1, 7] {
            let got = messages(&profile(), Format::Auto, stream.bytes.chunks(cut));
            compare(&got, &stream.auto)?;
        }
        Ok(())
    });
}

#[test]
fn events_do_not_depend_on_the_cut() {
    each(|stream| {
        for format in [stream.format, Format::Auto] {
            let whole = events(&profile(), format, [&stream.bytes[..]]);
            let mut rng = Rng::new(7);
            let random = (0..20).map(|_| rng.cut(&stream.bytes)).collect::<Vec<_>>();
            for pieces in random.into_iter().chain([stream.bytes.chunks(1).collect()]) {
                let got = events(&profile(), format, pieces);
                if got != whole {
                    let [got, whole] = [got, whole].map(Value::from);
                    return Err(format!("cut up it is {got}\nnot {whole}"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn thoughts_and_calls_have_one_start_and_one_end() {
    each(|stream| {
        let (mut thought, mut calls) = (0, Vec::new());
        for event in events(&profile(), stream.format, [&stream.bytes[..]]) {
            let choice = &event["choice"];
            let call = (choice.clone(), event["index"].clone());
            match event["type"].as_str().unwrap() {
                "thought_start" => thought += 1,
                "thought" if thought != 1 => return Err("a thought outside".into()),
                "thought_end" => thought -= 1,
                "call_start" => calls.push(call),
                "call_delta" if !calls.contains(&call) => return Err("a delta outside".into()),
                "call_end" => calls.retain(|open| *open != call),
                "call_error" => calls.retain(|open| *open != call),
                _ => {}
            }
        }
        match (thought, calls.len()) {
            (0, 0) => Ok(()),
            open => Err(format!("{open:?} are open")),
        }
    });
}

#[test]
fn the_frames_are_all_bytes_of_the_stream() {
    each(|stream| {
        let mut rng = Rng::new(3);
        let mut raw = Vec::new();
        let mut framing = Framing::new(1 << 20);
        for piece in rng.cut(&stream.bytes) {
            framing.push(piece, &mut |frame| raw.extend_from_slice(frame.raw));
        }
        framing.finish(&mut |frame| raw.extend_from_slice(frame.raw));
        if raw == stream.bytes {
            Ok(())
        } else {
            Err("bytes are lost".into())
        }
    });
}

#[test]
fn every_recorded_stream_has_its_expectation() {
    let known: Vec<String> = recorded().into_iter().map(|stream| stream.name).collect();
    for entry in fs::read_dir(folder().join("wire")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "expect.jsonl" || known.contains(&name), "{name}");
    }
}
