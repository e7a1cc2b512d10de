/**
 * older versions have fewer fields
 */
export type Context = {
 name?: string;
 fullName?: string;
 filePath?: string;
};
