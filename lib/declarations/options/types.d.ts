export function number(min: number, max: number, unit?: string): OptionType;
export function integer(min: number, max: number): OptionType;
export function or(type: OptionType, extra: unknown): OptionType;
export function text(): OptionType;
export function token(): OptionType;
export function url(): OptionType;
export function oneOf(words: string[]): OptionType;
export function list(): OptionType;
export function labels(reserved: string[]): OptionType;
export function callback(): OptionType;
export function log(): OptionType;
/**
 * A type of option: what it takes in words, whether a JavaScript value is one, and how the text
 * of an environment variable or a flag becomes one (undefined where it does not).
 */
export type OptionType = {
 takes: string;
 accepts: (value: any) => boolean;
 parse: (text: string) => unknown;
 /**
  * no error shows what was given
  */
 isSecret?: boolean | undefined;
 /**
  * the way back, where String() is not it
  */
 format?: ((value: any) => string) | undefined;
};
/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isPlainObject(value: unknown): value is Record<string, unknown>;
