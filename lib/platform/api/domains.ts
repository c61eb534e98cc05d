import { domainName } from '../../../functions/core/entry/domain-name.ts';
import { isBelow } from '../../http/app-domain.ts';
import { appOf, type Call, type Route } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { PublicService } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import type { Domains } from '../store/domains.ts';
import { domainUrl } from '../store/host-names.ts';
import { checkDomain, type Lookup } from './domain-check.ts';

/** Dependencies of the routes of domains. */
export interface DomainRouteParts {
  readonly apps: Apps;
  readonly domains: Domains;
  readonly service: PublicService | undefined;
  /** Domains whose names the platform itself gives. */
  readonly reserved: readonly string[];
  readonly lookup: Lookup;
}

/** The routes of the domains of an application. */
export function domainRoutes(parts: DomainRouteParts): readonly Route[] {
  const { apps, domains } = parts;
  const path = '/apps/:user/:app/domains';
  return [
    {
      method: 'GET',
      path,
      run: async (call) => {
        const names = (await apps.get(appOf(call))).domains;
        return { status: 200, body: { domains: await Promise.all(names.map((name) => shown(name, parts))) } };
      },
    },
    {
      method: 'PUT',
      path: `${path}/:name`,
      run: async (call) => {
        const name = nameOf(call, parts);
        const isNew = await domains.add(appOf(call), name);
        return { status: isNew ? 201 : 200, body: await shown(name, parts) };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:name`,
      run: async (call) => {
        const name = call.param('name');
        await domains.remove(appOf(call), domainName(name) ?? name);
        return { status: 204 };
      },
    },
  ];
}

async function shown(name: string, { service, lookup }: DomainRouteParts) {
  const { pointsHere, note } = await checkDomain(name, { service, lookup });
  const unserved = 'The service has no public address yet: start it with APPS_DOMAIN or PUBLIC_URL.';
  return {
    name,
    url: service ? domainUrl(name, service) : null,
    points_here: pointsHere,
    note: service ? note : [unserved, ...(note === null ? [] : [note])].join(' '),
  };
}

/** Returns the name in the path, or throws 400. */
function nameOf(call: Call, { service, reserved }: DomainRouteParts): string {
  const given = call.param('name').slice(0, 300);
  const name = domainName(given);
  if (name === null) throw new HttpError(400, `"${given.slice(0, 80)}" is not a domain name such as shop.example.com.`);
  const isOwn = service?.names.includes(name) || reserved.some((domain) => isBelow(name, domain));
  if (isOwn)
    throw new HttpError(400, `${name} is a name of the service itself; a domain of an application is another one.`);
  return name;
}
