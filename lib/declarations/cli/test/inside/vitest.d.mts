/**
 * a test, or a block of them
 */
export type Task = {
 name: string;
 type?: string;
 suite?: Task;
 file?: {
  filepath: string;
 };
};
