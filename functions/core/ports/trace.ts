/** Writes a line to the function's log, for operators only: errors come with their causes. */
export type Trace = (event: string, fields: Readonly<Record<string, unknown>>) => void;
