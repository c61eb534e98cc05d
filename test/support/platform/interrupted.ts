import type { PlatformTable } from '../../../functions/adapters/platform/aws-lambda/table/table.ts';

/**
 * Returns parts whose worker is killed before the second of the writes that say what has become of an application: its
 * state, and the event about it.
 */
export function interrupted<Parts extends { readonly table: PlatformTable }>(parts: Parts): Parts {
  let writes = 0;
  const write: PlatformTable['write'] = async (key, changes, condition) => {
    if ('state' in changes || 'event' in changes) writes += 1;
    if (writes === 2) throw new Error('The worker was killed.');
    return parts.table.write(key, changes, condition);
  };
  return { ...parts, table: { ...parts.table, write } };
}
