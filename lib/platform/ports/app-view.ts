import type { Application } from '../../../functions/core/ports/applications.ts';
import type { PublicDomain } from '../../http/app-domain.ts';
import { type AppId, appKey } from '../../runner/calls.ts';
import type { DesiredState, States } from '../desired/desired-state.ts';
import type { PublicService } from '../settings.ts';
import type { Apps, StoredDomain } from '../store/apps.ts';
import { domainUrl, publicUrl } from '../store/host-names.ts';

/** Reads an application as the service sees it, or 404. Of many the states are asked for once. */
export type AppView = (name: AppId, states?: States) => Promise<Application>;

interface AppViewParts {
  readonly apps: Apps;
  readonly desired: DesiredState;
  /** The addresses of applications for other machines; absent: they are reached from this machine only. */
  readonly publicDomain: PublicDomain | undefined;
  /** The service in front, with which an application has the address of its first domain that is served. */
  readonly service: PublicService | undefined;
}

export function appView({ apps, desired, publicDomain, service }: AppViewParts): AppView {
  const addressOf = (name: AppId, port: number, domains: readonly StoredDomain[]) => {
    const served = domains.find(({ redirect }) => redirect === null);
    if (served && service) return domainUrl(served.name, service);
    return publicDomain ? publicUrl(name, publicDomain) : `http://127.0.0.1:${port}`;
  };
  return async (name, states) => {
    const { name: full, active: snapshot, port, domains, wanted, scale } = await apps.get(name);
    const about = { user: name.user, app: name.app, name: full, snapshot };
    // After a failed first start it has a port already.
    if (snapshot === null) return { ...about, url: null, state: 'never' };
    const { state: runs = 'stopped', used } = (states ?? (await desired.states(name))).get(appKey(name)) ?? {};
    // Its turn to be started again has not come yet.
    const state = runs === 'stopped' && wanted === 'running' && scale.web !== 0 ? 'starting' : runs;
    const url = port === null ? null : addressOf(name, port, domains);
    return { ...about, url, state, used };
  };
}
