import { DeployError, type ErrorCode } from '../../../../core/errors.ts';
import { requiredFields, requiredList, requiredText, textIn } from '../../provider/answers.ts';
import type { ProviderApi } from '../../provider/api.ts';

const CODE: ErrorCode = 'deploy:tar:extract_failed';
/** The signed address of an archive, which lets its reader read it: Scalingo may quote it. */
const SIGNED = /https?:\/\/\S*X-Amz-\S*/g;

/** A deployment of an app: https://developers.scalingo.com/deployments */
export interface Deployment {
  readonly id: string;
  /** `queued`, `building`, `pushing`, `starting`, `success`, `aborted`, or an error as in `build-error`. */
  readonly status: string;
  /** When it was made, by Scalingo's clock; RFC 3339. */
  readonly at: string;
}

/** Returns a deployment by its id; null when there is none, or no such app. */
export async function readDeployment(run: string, id: string, api: ProviderApi): Promise<Deployment | null> {
  const what = 'the state of the deployment';
  const path = ['apps', run, 'deployments', id];
  const { status, body } = await api({ method: 'GET', path, code: CODE, what, accept: [404] });
  return status === 404 ? null : deploymentIn(requiredFields(body, CODE).deployment);
}

/** Returns the deployment of this name, which is among the last ones; null when there is none. */
export async function findDeployment(run: string, ref: string, api: ProviderApi): Promise<Deployment | null> {
  const what = 'the list of deployments';
  const path = ['apps', run, 'deployments'];
  const { status, body } = await api({ method: 'GET', path, code: CODE, what, accept: [404] });
  if (status === 404) return null;
  // What is not a list must not be taken for one without the deployment: it would be made a second time.
  const deployments = requiredList(requiredFields(body, CODE).deployments, CODE);
  const found = deployments.find((one) => textIn(one, 'git_ref') === ref);
  return found ? deploymentIn(found) : null;
}

/** Begins a deployment of the archive at an address. Returns its id. */
export async function makeDeployment(
  run: string,
  { ref, source }: { readonly ref: string; readonly source: string },
  api: ProviderApi,
): Promise<string> {
  const json = { deployment: { git_ref: ref, source_url: source } };
  const path = ['apps', run, 'deployments'];
  const request = { method: 'POST', path, json, code: CODE, what: `the deployment ${ref}` } as const;
  const { body } = await api(request).catch((error: unknown) => {
    throw unsigned(error);
  });
  return requiredText(requiredFields(body, CODE).deployment, 'id', CODE);
}

/** Returns the output of a deployment; null while there is none. */
export async function readOutput(
  run: string,
  id: string,
  { api, code = CODE }: { readonly api: ProviderApi; readonly code?: ErrorCode },
): Promise<string | null> {
  const path = ['apps', run, 'deployments', id, 'output'];
  const request = { method: 'GET', path, code, what: 'the output of the deployment' } as const;
  const answer = await api({ ...request, mediaType: 'text/plain', accept: [404] });
  return answer.status === 404 ? null : answer.text.replaceAll(SIGNED, '<archive>');
}

function unsigned(error: unknown): unknown {
  if (!(error instanceof DeployError)) return error;
  const { code, retry, retryAfter } = error;
  const detail = error.detail.replaceAll(SIGNED, '<archive>');
  return new DeployError(code, detail, { retry, ...(retryAfter !== undefined && { retryAfter }) });
}

function deploymentIn(value: unknown): Deployment {
  const text = (field: string) => requiredText(value, field, CODE);
  return { id: text('id'), status: text('status'), at: text('created_at') };
}
