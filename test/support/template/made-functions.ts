/** Loads what makes the functions on AWS, by their names: `apiEntry` makes `api-entry`. */
export async function madeFunctions(): Promise<ReadonlyMap<string, () => unknown>> {
  const [endpoints, events] = await Promise.all([
    import('../../../functions/aws/endpoints.ts'),
    import('../../../functions/aws/events.ts'),
  ]);
  const made = Object.entries<() => unknown>({ ...endpoints, ...events });
  return new Map(made.map(([name, make]) => [name.replace(/[A-Z]/g, '-$&').toLowerCase(), make]));
}
