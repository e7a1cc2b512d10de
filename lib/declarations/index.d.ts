/**
 * what start() returns
 */
export type Agent = import("./host/start").AnyAgent;
export type Options = import("./options/table").Options;
export type BlockRecord = import("./types").BlockRecord;
export type Work = import("./types").WorkRecord;
export type Load = import("./types").LoopLoadReport;
export type SlowIncident = import("./types").SlowIncident;
import { start } from "./host/start";
import { run } from "./host/start";
import { wrap } from "./host/start";
import { allow } from "./host/start";
import { expectNoBlocks } from "./host/start";
import { LoopwatchError } from "./tables/errors";
export { start, run, wrap, allow, expectNoBlocks, LoopwatchError };
