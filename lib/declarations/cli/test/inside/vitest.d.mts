/**
 * a test, or a group
 */
export type Task = {
 name: string;
 type?: string;
 suite?: Task;
 file?: {
  filepath: string;
 };
};
