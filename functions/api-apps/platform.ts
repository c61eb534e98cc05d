import * as v from 'valibot';
import { fieldsIn } from '../api/body.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { redirect } from '../api/parameters.ts';
import { appRef, required } from '../core/app-ref.ts';
import { domainName } from '../core/apps/domain-name.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import { RunInput, RunStart, type Scale } from '../core/ports/processes.ts';
import type { AppsPorts } from './ports.ts';

/** `GET …/processes`: what runs of an application. */
export async function listProcesses(request: HttpRequest, { processes }: AppsPorts): Promise<HttpAnswer> {
  return { status: 200, body: required(await processes.list(appRef(request)), request) };
}

/** `PATCH …/processes`: how many processes of some types are to run, now and after later deploys. */
export async function scale(request: HttpRequest, { processes }: AppsPorts): Promise<HttpAnswer> {
  return { status: 200, body: required(await processes.scale(appRef(request), countsIn(request)), request) };
}

/** Returns the numbers in a body, `{"worker": 2}`. Throws `request:bad_parameter` and `request:too_large`. */
function countsIn(request: HttpRequest): Scale {
  const counts = Object.entries(fieldsIn(request, 64));
  const isCount = (one: [string, unknown]): one is [string, number | 'auto'] =>
    typeof one[1] === 'number' || one[1] === 'auto';
  if (counts.length > 0 && counts.every(isCount)) return Object.fromEntries(counts);
  throw badParameter('Send how many processes are to run as JSON: {"worker": 2}.');
}

/** `GET …/domains`: the domains of the application, oldest first, and whether each leads to the service. */
export async function listDomains(request: HttpRequest, { domains }: AppsPorts): Promise<HttpAnswer> {
  return { status: 200, body: { domains: required(await domains.list(appRef(request)), request) } };
}

/** `PUT …/domains/<name>`: the application answers at the name too, or redirects there. `201`, or `200` when it did already. */
export async function addDomain(request: HttpRequest, { domains }: AppsPorts): Promise<HttpAnswer> {
  const to = request.query[redirect.name];
  const target = to === undefined ? undefined : nameOf(to);
  const { domain, isNew } = required(await domains.add(appRef(request), nameIn(request), target), request);
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
  return nameOf(params.domain ?? '');
}

function nameOf(domain: string): string {
  const name = domainName(domain);
  if (name !== null) return name;
  const shown = JSON.stringify(domain.slice(0, MAX_SHOWN));
  throw badParameter(`${shown} is not the name of a domain, such as shop.example.com.`);
}

const MAX_BODY_KIB = 512;
const START_FORM = 'Send JSON like {"command": ["node", "scripts/seed.js"]}.';
const INPUT_FORM = 'Send JSON like {"data": "<base64>", "end": true, "signal": "SIGINT"}.';

/** `POST …/runs`: starts a command in the release that is live. */
export async function startRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const { success, output } = v.safeParse(RunStart, fieldsIn(request, MAX_BODY_KIB));
  if (!success || output.command[0] === '') throw badParameter(START_FORM);
  return { status: 201, body: required(await runs.start(appRef(request), output), request) };
}

/** `POST …/runs/<run>`: sends input or a signal to it. */
export async function writeRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const { success, output } = v.safeParse(RunInput, fieldsIn(request, MAX_BODY_KIB));
  if (!success) throw badParameter(INPUT_FORM);
  if (await runs.write(appRef(request), request.params.run ?? '', output)) return { status: 204 };
  throw new DeployError('status:db:not_found', 'No command with this id runs any more.');
}
