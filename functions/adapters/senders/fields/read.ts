import * as v from 'valibot';
import { DeployError } from '../../../core/errors.ts';

/**
 * Returns a body parsed with a schema. Throws `deploy:provider:not_supported`, which names the event and the first
 * field that is missing or invalid, but never its value.
 */
export function readBody<const Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
  what: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body, { abortEarly: true, abortPipeEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = v.getDotPath(issue) ?? 'the body';
  const problem = issue.input === undefined ? 'is missing' : described(issue);
  throw new DeployError('deploy:provider:not_supported', `This looks like ${what}, but ${field} ${problem}.`);
}

// valibot's own messages quote the value; the messages of our schemas start with a verb and do not.
function described(issue: v.BaseIssue<unknown>): string {
  return issue.kind === 'schema' ? `is not of the expected type (${issue.expected ?? 'other'})` : issue.message;
}
