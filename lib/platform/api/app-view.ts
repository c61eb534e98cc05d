import type { PublicDomain } from '../../http/app-domain.ts';
import type { Runners } from '../run/runners.ts';
import type { PublicService } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import { appHost, domainUrl, publicUrl } from '../store/host-names.ts';
import type { AppName } from '../store/names.ts';

/** An application as the API shows it. */
export interface AppShown {
  readonly name: string;
  readonly user: string;
  /** The name in paths. */
  readonly app: string;
  readonly state: string;
  /** Its permanent address; `null` until the first start. */
  readonly url: string | null;
  /** Its address on the platform's own port, for browsers that resolve `*.localhost`. */
  readonly host_url: string;
  /** The snapshot that serves, or served last. */
  readonly snapshot: string | null;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Reads an application as the API shows it, or 404. */
export type AppView = (name: AppName) => Promise<AppShown>;

interface AppViewParts {
  readonly apps: Apps;
  readonly runners: Runners;
  /** Returns the platform's own port. */
  readonly port: () => number;
  /** The addresses of applications for other machines; absent: they are reached from this machine only. */
  readonly publicDomain: PublicDomain | undefined;
  /** With it, an application has the address of its first domain. */
  readonly service: PublicService | undefined;
}

export function appView({ apps, runners, port, publicDomain, service }: AppViewParts): AppView {
  const addressOf = (name: AppName, own: number, [domain]: readonly string[]) => {
    if (domain !== undefined && service) return domainUrl(domain, service);
    return publicDomain ? publicUrl(name, publicDomain) : `http://127.0.0.1:${own}`;
  };
  return async (name) => {
    const app = await apps.get(name);
    return {
      name: app.name,
      user: name.user,
      app: name.app,
      state: runners.of(name).state(),
      url: app.port === null ? null : addressOf(name, app.port, app.domains),
      host_url: `http://${appHost(name)}:${port()}`,
      snapshot: app.active,
      manifest: app.manifest,
      created_at: app.created_at,
      updated_at: app.updated_at,
    };
  };
}
