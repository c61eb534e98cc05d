import type { PublicDomain } from '../../http/app-domain.ts';
import type { Runners } from '../runner/runners.ts';
import type { PublicService } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import { appHost, domainUrl, publicUrl } from '../store/host-names.ts';
import type { AppName } from '../store/names.ts';

/** Reads an application as the API shows it, or 404. */
export type AppView = ReturnType<typeof appView>;
export type AppShown = Awaited<ReturnType<AppView>>;

interface AppViewParts {
  readonly apps: Apps;
  readonly runners: Runners;
  /** Returns the port of the front door. */
  readonly port: () => number;
  /** The addresses of applications for other machines; absent: they are reached from this machine only. */
  readonly publicDomain: PublicDomain | undefined;
  /** With it, an application has the address of its first domain. */
  readonly service: PublicService | undefined;
}

export function appView({ apps, runners, port, publicDomain, service }: AppViewParts) {
  const addressOf = (name: AppName, own: number, [domain]: readonly string[]) => {
    if (domain !== undefined && service) return domainUrl(domain, service);
    return publicDomain ? publicUrl(name, publicDomain) : `http://127.0.0.1:${own}`;
  };
  return async (name: AppName) => {
    const app = await apps.get(name);
    return {
      name: app.name,
      user: name.user,
      /** The name in paths. */
      app: name.app,
      state: await runners.of(name).state(),
      /** Its permanent address; null until the first start. */
      url: app.port === null ? null : addressOf(name, app.port, app.domains),
      /** Its address on the platform's own port, for browsers that resolve `*.localhost`. */
      host_url: `http://${appHost(name)}:${port()}`,
      /** The snapshot that serves, or served last. */
      snapshot: app.active,
      manifest: app.manifest,
      created_at: app.created_at,
      updated_at: app.updated_at,
    };
  };
}
