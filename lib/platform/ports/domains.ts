import { domainName } from '../../../functions/core/apps/domain-name.ts';
import type { AppDomains, Domain } from '../../../functions/core/ports/applications.ts';
import type { AppRef } from '../../../functions/core/ports/platform.ts';
import { isBelow } from '../../http/app-domain.ts';
import { HttpError } from '../../http/http-error.ts';
import type { StoredDomain } from '../store/apps.ts';
import { domainUrl } from '../store/host-names.ts';
import { checkDomain } from './domain-check.ts';
import type { PortParts } from './parts.ts';
import type { AppCall, Calls } from './refusals.ts';

export function appDomains(parts: PortParts, { find }: Calls): AppDomains {
  const { apps, domains } = parts;
  const callOf = (app: AppRef): AppCall => ({ app, code: 'request:failed', what: `the domains of ${app.app}` });
  const refusals = { 400: 'request:bad_parameter', 409: 'request:conflict' } as const;
  return {
    list: (app) =>
      find(callOf(app), async (owner) => {
        const all = (await apps.get(owner)).domains;
        return Promise.all(all.map((domain) => shown(domain, parts)));
      }),
    add: (app, given, redirect) =>
      find({ ...callOf(app), refusals }, async (owner) => {
        const name = checkedName(given.slice(0, 300), parts);
        const isNew = await domains.add(owner, name, redirect);
        return { domain: await shown({ name, redirect: redirect ?? null }, parts), isNew };
      }),
    remove: async (app, name) =>
      (await find({ ...callOf(app), refusals }, async (owner) => {
        await domains.remove(owner, domainName(name) ?? name);
        return true;
      })) !== null,
  };
}

async function shown({ name, redirect }: StoredDomain, { service, lookup }: PortParts): Promise<Domain> {
  const { pointsHere, note } = await checkDomain(name, { service, lookup });
  const unserved = 'The service has no public address yet: start it with APPS_DOMAIN or PUBLIC_URL.';
  return {
    name,
    url: service ? domainUrl(name, service) : null,
    ...(redirect !== null && { redirect }),
    points_here: pointsHere,
    note: service ? note : [unserved, ...(note === null ? [] : [note])].join(' '),
  };
}

function checkedName(given: string, { ownNames, givenDomains }: PortParts): string {
  const name = domainName(given);
  if (name === null) throw new HttpError(400, `"${given.slice(0, 80)}" is not a domain name such as shop.example.com.`);
  const isOwn = ownNames.includes(name) || givenDomains.some((domain) => isBelow(name, domain));
  if (isOwn)
    throw new HttpError(400, `${name} is a name of the service itself; a domain of an application is another one.`);
  return name;
}
