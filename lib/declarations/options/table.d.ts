/// <reference types="node" />
export function checkOptions(method: string, takes: string, options: unknown, rows: {
 key: string;
 type: type.OptionType;
 default?: unknown;
}[], ignored?: string[]): any;
/**
 * of start(): every key is optional, times are in milliseconds
 */
export type Options = {
 /**
  * 2 to 60000
  */
 threshold?: number | undefined;
 host?: string | undefined;
 /**
  * 0 to 65535
  */
 port?: number | false | undefined;
 token?: string | undefined;
 allowHosts?: string[] | undefined;
 /**
  * on
  * stdout without a destination; pretty on a terminal without a format
  */
 log?: boolean | {
  level?: string;
  destination?: 1 | 2 | string;
  format?: "json" | "pretty";
 } | undefined;
 requests?: "auto" | "on" | "off" | undefined;
 route?: ((request: HttpRequest) => string | null | undefined) | undefined;
 origin?: "auto" | "on" | "off" | undefined;
 profile?: "auto" | "on" | "off" | undefined;
 source?: "on" | "off" | undefined;
 statements?: "on" | "off" | undefined;
 gc?: "on" | "off" | undefined;
 dir?: string | undefined;
 appVersion?: string | undefined;
 /**
  * http:// or https://, with user:password@ if the receiver asks for them
  */
 notify?: string | undefined;
 /**
  * 100 to 86400000
  */
 notifyAbove?: number | undefined;
 /**
  * true: by OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables; http:// or
  * https://, with user:password@ if the receiver asks for them
  */
 otlp?: string | boolean | undefined;
 /**
  * 1 to 1000
  */
 keep?: number | undefined;
 stuck?: number | undefined;
 onStuck?: "report" | "abort" | undefined;
 routes?: number | undefined;
 threads?: "auto" | "off" | undefined;
 waits?: "on" | "off" | "all" | undefined;
 facts?: string | undefined;
 /**
  * names of main files
  */
 only?: string[] | undefined;
 /**
  * names of main files
  */
 skip?: string[] | undefined;
 labels?: Record<string, string> | undefined;
};
/**
 * `beatPeriod`: ms between heartbeats; `calmPeriod`: the same while the loop hardly does anything; `log.creates`: false
 * if somebody else creates the file
 */
export type ResolvedOptions = Required<Omit<Options, "token" | "dir" | "appVersion" | "facts" | "notify" | "otlp" | "route" | "log">> & {
 token?: string;
 dir?: string;
 appVersion?: string;
 facts?: string;
 notify?: string;
 route?: Options["route"];
 log: boolean | (Exclude<Options["log"], boolean | undefined> & {
  creates?: boolean;
 });
 otlp: false | OtlpSettings;
 beatPeriod: number;
 calmPeriod: number;
};
import type = require("./types");
/** Every option. Environment variables, CLI flags, checks and the table in docs/use/options.md derive from this. */
export const table: ({
 heading: string;
 env: string;
 flag: string;
 key: string;
 group: string;
 type: type.OptionType;
 default: number;
 doc: string;
 flagDoc?: undefined;
} | {
 heading: string;
 env: string;
 flag: string;
 key: string;
 group: string;
 type: type.OptionType;
 default: string;
 doc: string;
 flagDoc?: undefined;
} | {
 heading: string;
 env: string;
 flag: string;
 key: string;
 group: string;
 type: type.OptionType;
 default: undefined;
 doc: string;
 flagDoc?: undefined;
} | {
 heading: string;
 env: string;
 flag: string;
 key: string;
 group: string;
 type: type.OptionType;
 default: never[];
 doc: string;
 flagDoc?: undefined;
} | {
 heading: string;
 env: string;
 flag: string;
 key: string;
 group: string;
 type: type.OptionType;
 default: boolean;
 doc: string;
 flagDoc: string;
} | {
 heading: string;
 env: string;
 flag: string;
 key: string;
 group: string;
 type: type.OptionType;
 default: boolean;
 doc: string;
 flagDoc?: undefined;
} | {
 heading: string;
 env: string;
 flag: string;
 key: string;
 group: string;
 type: type.OptionType;
 default: {};
 doc: string;
 flagDoc?: undefined;
})[];
/**
 * Defaults of a preload and of `loopwatch run`, as somebody may parse the stdout of a tool (`eslint -f json`).
 * @type {Options}
 */
export const preloadDefaults: Options;
/** Variables that look like options, each with the option most likely meant. @param {NodeJS.ProcessEnv} env */
export function strayVariables(env: NodeJS.ProcessEnv): string[];
/** @param {(typeof table)[number]} row @param {string} text @param {string} source what the error names */
export function parseText(row: (typeof table)[number], text: string, source: string): unknown;
/**
 * Options of the call, then the environment, then `defaults`, then those of the table.
 * @param {Options} [options] @param {NodeJS.ProcessEnv} [env] @param {Options} [defaults]
 * @returns {ResolvedOptions} @throws LOOPWATCH_ERR_OPTIONS, LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
 */
export function resolveOptions(options?: Options, env?: NodeJS.ProcessEnv, defaults?: Options): ResolvedOptions;
import type { HttpRequest } from '../types';
import type { OtlpSettings } from './otlp';
