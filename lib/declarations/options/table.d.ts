/**
 * what start() takes; every key optional, milliseconds unless said
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
 route?: ((request: import("../types").HttpRequest) => string | null | undefined) | undefined;
 origin?: "auto" | "on" | "off" | undefined;
 profile?: "auto" | "on" | "off" | undefined;
 source?: "on" | "off" | undefined;
 gc?: "on" | "off" | undefined;
 dir?: string | undefined;
 /**
  * http:// or https://, with user:password@ where it asks for them
  */
 notify?: string | undefined;
 /**
  * 100 to 86400000
  */
 notifyAbove?: number | undefined;
 /**
  * true: by OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables; http:// or
  * https://, with user:password@ where it asks for them
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
 labels?: Record<string, string> | undefined;
};
/**
 * `beatPeriod`: of the heartbeat, ms; `calmPeriod`: the same while the loop hardly does anything
 */
export type ResolvedOptions = Required<Omit<Options, "token" | "dir" | "notify" | "otlp" | "route">> & {
 token?: string;
 dir?: string;
 notify?: string;
 route?: Options["route"];
 otlp: false | import("./otlp").OtlpSettings;
 beatPeriod: number;
 calmPeriod: number;
};
/**
 * Every option: key, type, default and one line of documentation. Environment variables, CLI
 * flags, checks and the table in docs/use/options.md all come from here.
 */
export const table: ({
 env: string;
 flag: string;
 key: string;
 type: type.OptionType;
 default: number;
 doc: string;
} | {
 env: string;
 flag: string;
 key: string;
 type: type.OptionType;
 default: string;
 doc: string;
} | {
 env: string;
 flag: string;
 key: string;
 type: type.OptionType;
 default: undefined;
 doc: string;
} | {
 env: string;
 flag: string;
 key: string;
 type: type.OptionType;
 default: never[];
 doc: string;
} | {
 env: string;
 flag: string;
 key: string;
 type: type.OptionType;
 default: boolean;
 doc: string;
} | {
 env: string;
 flag: string;
 key: string;
 type: type.OptionType;
 default: {};
 doc: string;
})[];
/**
 * What holds in place of the table's defaults where the agent comes without a line of code, by a preload or by
 * `loopwatch run`: the process may be any tool, whose stdout somebody parses (`eslint -f json`, `pm2 jlist`).
 * @type {Options}
 */
export const preloadDefaults: Options;
/**
 * Variables that look like options and are none, each with the one that was most likely meant.
 * @param {NodeJS.ProcessEnv} env
 */
export function strayVariables(env: NodeJS.ProcessEnv): string[];
/**
 * A value given as text, checked.
 * @param {(typeof table)[number]} row
 * @param {string} text
 * @param {string} source how the error names where the text came from
 */
export function parseText(row: (typeof table)[number], text: string, source: string): unknown;
/**
 * Options as given, then the environment, then the defaults.
 * @param {Options} [given]
 * @param {NodeJS.ProcessEnv} [env]
 * @param {Options} [defaults] before those of the table
 * @returns {ResolvedOptions}
 * @throws {import('../tables/errors').LoopwatchError} LOOPWATCH_ERR_OPTIONS, LOOPWATCH_ERR_OPTION,
 * LOOPWATCH_ERR_OPTION_UNKNOWN
 */
export function resolveOptions(given?: Options, env?: NodeJS.ProcessEnv, defaults?: Options): ResolvedOptions;
import type = require("./types");
