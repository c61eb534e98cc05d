import { domainName } from '../../../functions/core/entry/domain-name.ts';
import { isBelow } from '../../http/app-domain.ts';
import { HttpError } from '../../http/http-error.ts';
import { type Call, NO_CONTENT, ofApp, ok, type Routes } from '../http/route.ts';
import { checkDomain } from '../ports/domain-check.ts';
import { domainUrl } from '../store/host-names.ts';
import type { ApiParts } from './parts.ts';

export function domainRoutes(parts: ApiParts): Routes {
  const { apps, domains } = parts;
  const handler = ofApp(apps);
  return {
    'GET /apps/:user/:app/domains': handler(async (_, app) => {
      const names = (await apps.get(app)).domains;
      return ok({ domains: await Promise.all(names.map((name) => shown(name, parts))) });
    }),
    'PUT /apps/:user/:app/domains/:name': handler(async (call, app) => {
      const name = nameOf(call, parts);
      const isNew = await domains.add(app, name);
      return { status: isNew ? 201 : 200, body: await shown(name, parts) };
    }),
    'DELETE /apps/:user/:app/domains/:name': handler(async (call, app) => {
      const name = call.param('name');
      await domains.remove(app, domainName(name) ?? name);
      return NO_CONTENT;
    }),
  };
}

async function shown(name: string, { service, lookup }: ApiParts) {
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
function nameOf(call: Call, { ownNames, givenDomains }: ApiParts): string {
  const given = call.param('name').slice(0, 300);
  const name = domainName(given);
  if (name === null) throw new HttpError(400, `"${given.slice(0, 80)}" is not a domain name such as shop.example.com.`);
  const isOwn = ownNames.includes(name) || givenDomains.some((domain) => isBelow(name, domain));
  if (isOwn)
    throw new HttpError(400, `${name} is a name of the service itself; a domain of an application is another one.`);
  return name;
}
