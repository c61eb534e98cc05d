import type { Runners } from '../run/runners.ts';
import type { Apps } from '../store/apps.ts';
import { type AppName, appHost } from '../store/names.ts';

/** An application as the API shows it. */
export interface AppShown {
  readonly name: string;
  readonly user: string;
  /** The name in paths. */
  readonly app: string;
  readonly state: string;
  /** Where it answers, for good; `null` until the first start. */
  readonly url: string | null;
  /** Where it answers through the platform's own port, for browsers that resolve `*.localhost`. */
  readonly host_url: string;
  /** The snapshot that serves, or served last. */
  readonly snapshot: string | null;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Reads an application as the API shows it, or 404. */
export type AppView = (name: AppName) => Promise<AppShown>;

/** Returns the reader; `port` returns the platform's own port. */
export function appView(apps: Apps, runners: Runners, port: () => number): AppView {
  return async (name) => {
    const app = await apps.get(name);
    return {
      name: app.name,
      user: name.user,
      app: name.app,
      state: runners.of(name).state(),
      url: app.port === null ? null : `http://127.0.0.1:${app.port}`,
      host_url: `http://${appHost(name)}:${port()}`,
      snapshot: app.active,
      manifest: app.manifest,
      created_at: app.created_at,
      updated_at: app.updated_at,
    };
  };
}
