// `tagstream/fetch`: loads the module as `tagstream` does.

import "tagstream";

export * from "../fetch.js";
