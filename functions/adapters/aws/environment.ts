/**
 * Returns the value of an environment variable. Throws, naming the variable, when it is missing or empty: a function
 * with wrong configuration must fail at start.
 */
export function variable(name: string): string {
  const value = optionalVariable(name);
  if (value === undefined) throw new Error(`The environment variable ${name} is missing.`);
  return value;
}

/** Returns the number in an environment variable. Throws, naming the variable, when it is not a number or negative. */
export function numberVariable(name: string): number {
  const value = Number(variable(name));
  if (!Number.isFinite(value) || value < 0) throw new Error(`The environment variable ${name} is not a number.`);
  return value;
}

/** Returns the value of an environment variable, or undefined when it is missing or empty. */
export function optionalVariable(name: string): string | undefined {
  return process.env[name] || undefined;
}

/**
 * Returns the service's address that the operator configured, without a trailing slash; null to take it from each
 * request.
 */
export function publicUrl(): string | null {
  return optionalVariable('PUBLIC_URL')?.replace(/(?<!\/)\/+$/, '') ?? null;
}
