import type { Application, Applications } from '../../../../core/ports/applications.ts';
import { onAws } from '../../../aws/failures.ts';
import { type AppItem, keys } from './items.ts';
import type { PlatformTable } from './table.ts';

const CODE = 'request:failed';

/** The name of a function is part of its address, and cannot be changed. */
export const NO_RENAME =
  'On AWS Lambda an application keeps its name. Give the package its old name; or deploy it from another folder or ' +
  'environment, which is another application, and copy the variables (hooks env export, hooks env import).';

export function tableApplications({ table }: { readonly table: PlatformTable }): Applications {
  return {
    canRename: NO_RENAME,
    list: (user) =>
      onAws(CODE, 'the list of applications', async () => {
        const items = await table.list(keys.apps(user));
        return items.map((item) => shown(user, item.sk, item));
      }),
    find: (ref) =>
      onAws(CODE, `the application ${ref.app}`, async () => {
        const item = await table.read(keys.app(ref));
        return item && shown(ref.user, ref.app, item);
      }),
    snapshots: (ref) =>
      onAws(CODE, `the snapshots of ${ref.app}`, async () => {
        const items = await table.list(keys.snapshots(ref));
        return items.flatMap(({ sk, state }) => (state === 'ready' ? [sk] : []));
      }),
  };
}

function shown(user: string, app: string, { name = app, snapshot, state, url }: Partial<AppItem>): Application {
  const application = { user, app, name, url: url ?? null, snapshot: snapshot ?? null };
  if (snapshot === undefined) return { ...application, state: 'never' };
  return { ...application, state: state ?? 'running' };
}
