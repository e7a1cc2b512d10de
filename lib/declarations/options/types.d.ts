export function number(min: number, max: number, unit?: string): OptionType;
export function integer(min: number, max: number): OptionType;
export function or(type: OptionType, extra: unknown): OptionType;
export function text(): OptionType;
export function token(): OptionType;
export function url(): OptionType;
export function oneOf(words: string[]): OptionType;
export function list(separator?: string | RegExp): OptionType;
export function labels(reserved: string[]): OptionType;
export function callback(): OptionType;
export function log(): OptionType;
/**
 * takes: in words; parse: gives undefined if a text is invalid;
 * isSecret: no error shows the value; words: the only values; format: the inverse of parse, if String() is not
 */
export type OptionType = {
 takes: string;
 accepts: (value: any) => boolean;
 parse: (text: string) => unknown;
 isSecret?: boolean;
 words?: string[];
 format?: (value: any) => string;
};
/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isPlainObject(value: unknown): value is Record<string, unknown>;
