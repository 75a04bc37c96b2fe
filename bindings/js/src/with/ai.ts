// `tagstream/ai`: loads the module as `tagstream` does.

import "tagstream";

export * from "../ai.js";
