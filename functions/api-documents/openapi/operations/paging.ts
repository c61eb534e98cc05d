import { type Described, query } from '../described.ts';

/** Returns the parameters of a list that is answered in pages. */
export function pageParameters(what: string, presetLimit: number): NonNullable<Described['parameters']> {
  return [
    query('limit', `${what} of a page; it has fewer when more would not fit into 6 MB.`, {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: presetLimit,
    }),
    query('skip', `${what} before the page.`, { type: 'integer', minimum: 0, default: 0 }),
  ];
}
