import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { appRef, required } from '../core/app-ref.ts';
import { domainName } from '../core/apps/domain-name.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import type { AppsPorts } from './ports.ts';

/** `GET …/domains`: the domains of the application, oldest first, and whether each leads to the service. */
export async function listDomains(request: HttpRequest, { domains }: AppsPorts): Promise<HttpAnswer> {
  return { status: 200, body: { domains: required(await domains.list(appRef(request)), request) } };
}

/** `PUT …/domains/<name>`: the application answers at the name too. `201`, or `200` when it did already. */
export async function addDomain(request: HttpRequest, { domains }: AppsPorts): Promise<HttpAnswer> {
  const { domain, isNew } = required(await domains.add(appRef(request), nameIn(request)), request);
  return { status: isNew ? 201 : 200, body: domain };
}

/** `DELETE …/domains/<name>`: the name is free again. */
export async function removeDomain(request: HttpRequest, { domains }: AppsPorts): Promise<HttpAnswer> {
  const [app, name] = [appRef(request), nameIn(request)];
  if (await domains.remove(app, name)) return { status: 204 };
  const detail = `${app.app} does not have the domain ${name}, or there is no such application.`;
  throw new DeployError('status:db:not_found', detail);
}

const MAX_SHOWN = 80;

/** Returns the name in the path. Throws `request:bad_parameter`. */
function nameIn({ params }: HttpRequest): string {
  const { domain = '' } = params;
  const name = domainName(domain);
  if (name !== null) return name;
  const shown = JSON.stringify(domain.slice(0, MAX_SHOWN));
  throw badParameter(`${shown} is not the name of a domain, such as shop.example.com.`);
}
