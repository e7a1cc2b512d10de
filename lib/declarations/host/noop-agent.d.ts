/// <reference types="node" />
/**
 * The interface of an agent where nothing can be watched. In a worker thread of the application, the main thread's
 * agent has the thread's blocks and metrics.
 * @extends {EventEmitter<{ block: [BlockRecord], slow: [SlowIncident] }>}
 */
export class NoopAgent extends EventEmitter<{
 block: [BlockRecord];
 slow: [SlowIncident];
}> {
 constructor();
 contentType: string;
 ready: Promise<{
  url: string | null;
 }>;
 get fastify(): ((fastify: any, options: ShedOptions, done: (error?: Error) => void) => void) & {
  [x: symbol]: string | boolean | {
   name: string;
   fastify: string;
  };
 };
 /** @template T @param {string} name @param {() => T} fn @param {Record<string, string | number>} [attributes] */
 run<T>(name: string, fn: () => T, attributes?: Record<string, string | number>): T;
 /** @template {(...args: any[]) => any} F @param {string} name @param {F} fn @returns {F} */
 wrap<F extends (...args: any[]) => any>(name: string, fn: F): F;
 /** @returns {Promise<BlockRecord[]>} */
 blocks(): Promise<BlockRecord[]>;
 metrics(): Promise<string>;
 /** @param {{ seconds: number }} options @returns {Promise<HuntResult>} */
 hunt(options: {
  seconds: number;
 }): Promise<HuntResult>;
 /** Passes every request on. @param {ShedOptions} [options] */
 middleware(options?: ShedOptions): (request: any, response: any, next: (error?: unknown) => void) => void;
 /** Zeros, as nothing is measured here. @returns {LoopLoadReport} */
 load(): LoopLoadReport;
 /** @template T @param {() => T} fn @param {string} reason @returns {T} */
 allow<T>(fn: () => T, reason: string): T;
 /** @template T @param {() => T} fn @param {{ overMs?: number }} [options] @returns {Promise<Awaited<T>>} */
 expectNoBlocks<T>(fn: () => T, options?: {
  overMs?: number;
 }): Promise<Awaited<T>>;
 flush(): Promise<void>;
 stop(): Promise<void>;
}
import type { BlockRecord } from '../types';
import type { SlowIncident } from '../types';
import { EventEmitter } from "events";
import type { ShedOptions } from './shedding/options';
import type { HuntResult } from './origin/hunt';
import type { LoopLoadReport } from '../types';
