import * as v from 'valibot';
import { fieldsIn } from '../api/body.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { Command, RunInput } from '../api/shapes/runs.ts';
import { appRef, required } from '../core/app-ref.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import type { AppsPorts } from './ports.ts';

const MAX_BODY_KIB = 512;
const TERMINAL = '{"columns": 80, "rows": 24, "type": "xterm-256color"}';
const START_FORM = `Send JSON like {"command": ["node", "scripts/seed.js"], "terminal": ${TERMINAL}}.`;
const INPUT_FORM = `Send JSON like {"data": "<base64>", "end": true, "signal": "SIGINT", "terminal": ${TERMINAL}}.`;

/** `POST …/runs`: starts a command in the release that is live. */
export async function startRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const { success, output } = v.safeParse(Command, fieldsIn(request, MAX_BODY_KIB));
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
