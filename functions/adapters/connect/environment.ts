/**
 * The value of an environment variable of the function. Throws at start, naming the variable, when it is missing or
 * empty: a function that is wired wrongly must not come up at all.
 */
export function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is missing.`);
  return value;
}

/** The number in an environment variable. Throws at start, naming the variable, when it holds none. */
export function numberVariable(name: string): number {
  const value = Number(variable(name));
  if (!Number.isFinite(value) || value < 0) throw new Error(`The environment variable ${name} is not a number.`);
  return value;
}
