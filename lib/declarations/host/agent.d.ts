/// <reference types="node" />
/**
 * The agent of one process: the sensors on the host thread, and the watchdog that they report to.
 * Event `block`: the record of a finished block (lib/types.js), also on the diagnostics channel `loopwatch:block`. The
 * event needs the host's loop, so it comes after the log line, the endpoint and `dir`.
 * Event `slow`: an incident without a block, at its end; also on `loopwatch:slow`.
 * @extends {EventEmitter<{ block: [BlockRecord], slow: [SlowIncident] }>}
 */
export class Agent extends EventEmitter<{
 block: [BlockRecord];
 slow: [SlowIncident];
}> {
 /**
  * @param {ResolvedOptions} options @param {(agent: Agent) => void} forget called by stop()
  * @param {Way} [way] a preload starts before the application
  */
 constructor(options: ResolvedOptions, forget: (agent: Agent) => void, { presence }?: Way);
 /** For the response that has metrics() in it. */
 contentType: string;
 /** A plugin for Fastify with the options of middleware(): `fastify.register(agent.fastify, { maxDelay: 200 })`. */
 get fastify(): ((fastify: any, options: ShedOptions, done: (error?: Error) => void) => void) & {
  [x: symbol]: string | boolean | {
   name: string;
   fastify: string;
  };
 };
 /**
  * Resolves when the watchdog watches and its endpoint listens, or, in a worker of node:cluster, when the worker has
  * joined the primary's. `url` is null without an endpoint (port: false, no free port, no watchdog, stopped before).
  */
 get ready(): Promise<{
  url: string | null;
 }>;
 /**
  * Runs a function as a named piece of work, through its awaits, timers and listeners: a block in it has the name.
  * @template T @param {string} name not empty; names are bounded like routes @param {() => T} fn
  * @param {Record<string, string | number>} [attributes] for the record: at most 8, of 200 characters each;
  * `size` is that of the input in bytes
  * @returns {T} what fn returns; if that is a promise, one that settles the same
  * @throws {LoopwatchError} LOOPWATCH_ERR_ARGUMENT; and what fn throws
  */
 run<T>(name: string, fn: () => T, attributes?: Record<string, string | number>): T;
 /**
  * Returns a function that calls fn as named work each time, with its `this` and arguments.
  * @template {(...args: any[]) => any} F @param {string} name @param {F} fn @returns {F}
  * @throws {LoopwatchError} LOOPWATCH_ERR_ARGUMENT
  */
 wrap<F extends (...args: any[]) => any>(name: string, fn: F): F;
 /** Blocks in memory, newest first. @returns {Promise<BlockRecord[]>} */
 blocks(): Promise<BlockRecord[]>;
 /** All metrics in Prometheus text format, to append to an existing endpoint. @returns {Promise<string>} */
 metrics(): Promise<string>;
 /**
  * Tracks for a while where the operations of blocking callbacks were created, whatever the option `origin` says.
  * Tracking takes up to a tenth of the thread. A second call prolongs the first; neither keeps the process alive.
  * @param {{ seconds: number }} options 1 to 300 @returns {Promise<HuntResult>} at its end
  * @throws {LoopwatchError} LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
  */
 hunt(options: {
  seconds: number;
 }): Promise<HuntResult>;
 /**
  * A middleware for Express and Connect. While the loop is above a limit, requests get 503 with Retry-After. Without
  * limits every request passes.
  * @param {ShedOptions} [options] @throws {LoopwatchError} LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
  */
 middleware(options?: ShedOptions): (request: any, response: any, next: (error?: unknown) => void) => void;
 /**
  * How late timers come and how busy the loop is, for health checks and your own shedding. Takes microseconds.
  * @returns {LoopLoadReport} delays in milliseconds, utilization from 0 to 1
  */
 load(): LoopLoadReport;
 /**
  * Runs a function that may block. Blocks that are mostly within such calls count under the cause `allowed` and are
  * not logged. Only the function's synchronous part counts, nothing after an `await`.
  * @template T @param {() => T} fn @param {string} reason kept in the record @returns {T} what the function returns
  * @throws {LoopwatchError} LOOPWATCH_ERR_OPTION
  */
 allow<T>(fn: () => T, reason: string): T;
 /**
  * Runs a function, and rejects if the event loop is blocked before the function has settled.
  * @template T @param {() => T} fn @returns {Promise<Awaited<T>>} what the function returns
  * @param {{ overMs?: number }} [options] the limit; at least the option `threshold`, which is its default
  * @throws {LoopwatchError} LOOPWATCH_ERR_BLOCKED with the longest block's record as `cause`, LOOPWATCH_ERR_UNWATCHED,
  * LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
  */
 expectNoBlocks<T>(fn: () => T, options?: {
  overMs?: number;
 }): Promise<Awaited<T>>;
 /**
  * Sends everything for `otlp` and `notify` at once, as the process may be about to freeze. Resolves after 1.4 s at
  * the latest, and never rejects.
  * @returns {Promise<void>}
  */
 flush(): Promise<void>;
 /** Releases everything, so that the process can end by itself. Never rejects. @returns {Promise<void>} */
 stop(): Promise<void>;
 #private;
}
import type { BlockRecord } from '../types';
import type { SlowIncident } from '../types';
import { EventEmitter } from "events";
import type { ShedOptions } from './shedding/options';
import type { HuntResult } from './origin/hunt';
import type { LoopLoadReport } from '../types';
import type { ResolvedOptions } from '../options/table';
import type { Way } from './start';
