import { start } from "./host/start";
import { run } from "./host/start";
import { wrap } from "./host/start";
import { allow } from "./host/start";
import { expectNoBlocks } from "./host/start";
import { LoopwatchError } from "./tables/errors";
export { start, run, wrap, allow, expectNoBlocks, LoopwatchError };
