import * as v from 'valibot';
import { jsonIn } from '../../../functions/core/json-value.ts';
import { isRepositoryName, REPOSITORY_NAME_RULE } from '../store/folders.ts';
import { Refused } from './refused.ts';
import type { ServerDependencies } from './server.ts';

const NewRepository = v.object({ name: v.string(), private: v.optional(v.boolean(), false) });
const MAX_BODY_BYTES = 65_536;

/**
 * Makes a repository of a user before its first push, which would make a public one: `{ "name", "private" }`. Throws 413
 * and 422.
 */
export async function makeRepository(
  { repositories, url }: Pick<ServerDependencies, 'repositories' | 'url'>,
  owner: string,
  request: AsyncIterable<Uint8Array>,
) {
  const body = v.safeParse(NewRepository, await readBody(request));
  if (!body.success) throw new Refused(422, 'The field name is missing, or a field is of the wrong type.');
  const { name, private: isPrivate } = body.output;
  if (!isRepositoryName({ owner, name })) throw new Refused(422, REPOSITORY_NAME_RULE);
  const isNew = await repositories.create({ owner, name }, { private: isPrivate });
  if (!isNew) throw new Refused(422, `There is a repository ${owner}/${name} already.`);
  const page = `${url()}/${owner}/${name}`;
  return { name, full_name: `${owner}/${name}`, private: isPrivate, html_url: page, clone_url: `${page}.git` };
}

async function readBody(request: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Refused(413, 'Payload Too Large');
    chunks.push(chunk);
  }
  const value = jsonIn(Buffer.concat(chunks).toString('utf8'));
  if (value === undefined) throw new Refused(422, 'The body is not JSON.');
  return value;
}
