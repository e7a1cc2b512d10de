export function resolveShedOptions(method: string, options: unknown): ShedOptions & {
 retryAfter: number;
};
export type ShedOptions = {
 /**
  * milliseconds, 1 to 60000
  */
 maxDelay?: number | undefined;
 /**
  * 0 to 1
  */
 maxUtilization?: number | undefined;
 /**
  * seconds
  */
 retryAfter?: number | undefined;
 exempt?: ((request: any) => boolean) | undefined;
};
/** Every option of agent.middleware() and agent.fastify: key, type, default and one line of documentation. */
export const table: ({
 key: string;
 type: type.OptionType;
 default: undefined;
 doc: string;
} | {
 key: string;
 type: type.OptionType;
 default: number;
 doc: string;
})[];
import type = require("../../options/types");
