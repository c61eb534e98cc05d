import type { Domain } from '../../../api/shapes/applications.ts';
import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { AppDomains } from '../../../core/ports/applications.ts';
import type { AppRef } from '../../../core/ports/platform.ts';
import { listIn, notUnderstood, readErrorMessage } from './answers.ts';
import { type PlatformCallOptions, platformCall } from './call.ts';

/** It looks each name up in DNS. */
const TIMEOUT_MS = 15_000;

export function httpAppDomains(options: PlatformCallOptions): AppDomains {
  const call = platformCall(options);
  return {
    list: async (app) => {
      const { status, body } = await call({ ...to(app), method: 'GET', accept: [404] });
      return status === 404 ? null : listIn(body, 'domains').map((one) => domainIn(one, app));
    },
    add: async (app, name) => {
      const { status, body } = await call({ ...to(app, name), method: 'PUT', accept: [400, 404, 409] });
      if (status === 404) return null;
      if (status === 400) throw new DeployError('request:bad_parameter', said(body));
      if (status === 409) throw new DeployError('request:conflict', said(body));
      return { domain: domainIn(body, app), isNew: status === 201 };
    },
    remove: async (app, name) => {
      const { status } = await call({ ...to(app, name), method: 'DELETE', accept: [404] });
      return status !== 404;
    },
  };
}

function said(body: unknown): string {
  return readErrorMessage(body) ?? 'The platform refused the domain without a reason.';
}

function domainIn(body: unknown, { app }: AppRef): Domain {
  if (!isObject(body) || typeof body.name !== 'string') throw notUnderstood(`the domains of ${app}`);
  return {
    name: body.name,
    url: typeof body.url === 'string' ? body.url : null,
    points_here: typeof body.points_here === 'boolean' ? body.points_here : null,
    note: typeof body.note === 'string' ? body.note : null,
  };
}

function to({ user, app }: AppRef, ...name: readonly string[]) {
  const path = ['apps', user, app, 'domains', ...name];
  return { user, path, code: 'request:failed', timeoutMs: TIMEOUT_MS, what: `the domains of ${app}` } as const;
}
