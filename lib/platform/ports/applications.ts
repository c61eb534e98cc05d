import { randomBytes } from 'node:crypto';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { appName } from '../../../functions/core/entry/package-name.ts';
import type { Applications, AppPasswords, AppVariables } from '../../../functions/core/ports/applications.ts';
import type { AppOperations, AppRef } from '../../../functions/core/ports/platform.ts';
import { hashPassword } from '../../../functions/core/secrets.ts';
import { passwordTurns } from '../../../functions/core/users/passwords.ts';
import { isMissing } from '../../http/http-error.ts';
import type { AppId } from '../../runner/calls.ts';
import type { States } from '../desired/desired-state.ts';
import type { PortParts } from './parts.ts';
import type { AppCall, Calls } from './refusals.ts';

const START = 'deploy:platform:start_app' as const;

export function applications({ apps, snapshots, desired, view }: PortParts, { find, forUser }: Calls): Applications {
  /** Null for one that was removed meanwhile. */
  const listed = (app: AppId, states: States) =>
    view(app, states).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
  return {
    canRename: true,
    list: (user) =>
      forUser(user, { code: 'request:failed', what: 'the list of applications' }, async () => {
        const [names, states] = await Promise.all([apps.list(user), desired.states({ user })]);
        const all = await Promise.all(names.map((name) => listed(name, states)));
        return all.flatMap((app) => app ?? []).sort((one, other) => (one.app < other.app ? -1 : 1));
      }),
    find: (app) => find({ app, code: 'request:failed', what: `the application ${app.app}` }, view),
    snapshots: async (app) => {
      const call = { app, code: 'request:failed', what: `the snapshots of ${app.app}` } as const;
      const all = (await find(call, (name) => snapshots.list(name))) ?? [];
      // A snapshot that was built before can be built again, even when its last build failed.
      return all.flatMap(({ id, state, built_at }) => (state !== 'failed' || built_at ? [id] : []));
    },
  };
}

export function operations(parts: PortParts, { of, forAny, find }: Calls): AppOperations {
  const { apps, builder, domains, events, onEvent, removals, desired, view } = parts;
  const callOf = (app: AppRef, what: string): AppCall => ({ app, code: START, what: `${what} ${app.app}` });
  /** Does something to an application of which nothing runs or is built. */
  const ending = async (app: AppId, work: () => Promise<void>) => {
    await builder.remove(app, async () => {
      await desired.remove(app);
      await work();
    });
    // Calls meanwhile may have begun others.
    await desired.remove(app);
    removals.removed(app);
  };
  return {
    restart: (app, entry) =>
      of({ ...callOf(app, 'the restart of'), isOwn: true }, async (name) => {
        const { answers } = await desired.of(name).restart(entry);
        return { url: (answers && (await view(name)).url) || '' };
      }),
    stop: (app) => of(callOf(app, 'the stop of'), (name) => desired.of(name).stop()),
    rename: (app, packageName) =>
      forAny(callOf(app, 'the new name of'), async (name) => {
        const to = { user: name.user, app: appName(packageName) };
        const stored = await apps.find(name);
        // Without it, it was renamed before.
        if (stored && (stored.name !== packageName || to.app !== name.app)) {
          await ending(name, () => apps.rename(name, packageName)).finally(async () => {
            domains.read();
            // After a failure it still has, or has again, its old name.
            await desired.begin((await apps.find(name)) ? name : to);
          });
        }
        return { url: (await view(to)).url };
      }),
    remove: async (app) => {
      await find(callOf(app, 'the removal of'), async (name) => {
        await ending(name, async () => {
          if (await events.endAll(name)) onEvent();
          await apps.remove(name);
        });
        domains.read();
      });
    },
  };
}

export function variables({ apps, variables: stored }: PortParts, { forAny, find }: Calls): AppVariables {
  // The sentences name the variable and never quote its value.
  const refusals = { 400: 'request:bad_parameter', 409: 'request:bad_parameter', 413: 'request:too_large' } as const;
  const callOf = (app: AppRef): AppCall => ({ app, code: 'request:failed', what: `the variables of ${app.app}` });
  const changing = (app: AppRef): AppCall => ({ ...callOf(app), refusals });
  return {
    read: (app) => find(callOf(app), stored.read),
    set: async (app, changes) => (await find(changing(app), (name) => stored.merge(name, changes))) !== null,
    unset: async (app, key) =>
      (await find(changing(app), async (name) => {
        await stored.remove(name, key);
        return true;
      })) !== null,
    create: async (app, packageName) => {
      await forAny(changing(app), (name) => apps.put(name, { name: packageName }));
    },
  };
}

export function passwords({ apps, desired }: PortParts, { forAny }: Calls): AppPasswords {
  const callOf = (app: AppRef): AppCall => ({ app, code: 'request:failed', what: `the password of ${app.app}` });
  const inTurn = passwordTurns();
  // So that what the runner is told last is the last change.
  const withLock = keyedMutex();
  return {
    has: (app) => forAny(callOf(app), async (name) => ((await apps.find(name))?.password ?? null) !== null),
    set: (app, packageName, password) =>
      forAny(callOf(app), async (name) => {
        const hash = (text: string) => inTurn({ ...name, door: name.user }, () => hashPassword(text, randomBytes(16)));
        const hashed = password === null ? null : await hash(password);
        await withLock(name.user, async () => {
          if (!(await apps.find(name))) await apps.put(name, { name: packageName });
          for (const one of await apps.lock(name, hashed)) await desired.describe(one);
        });
      }),
  };
}
