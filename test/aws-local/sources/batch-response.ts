import { array, looseObject, nullish, optional, safeParse, string } from 'valibot';

const Response = nullish(
  looseObject({ batchItemFailures: nullish(array(looseObject({ itemIdentifier: optional(string()) }))) }),
);

/**
 * Returns the ids of the records that a function reported as failed, by Lambda's rules: an empty response is success;
 * an invalid one, or an id that was not in the batch, fails all of them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function failedIds(response: unknown, ids: readonly string[]): ReadonlySet<string> {
  const parsed = safeParse(Response, response);
  if (!parsed.success) return new Set(ids);
  const failed = (parsed.output?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier ?? '');
  return new Set(failed.every((id) => ids.includes(id)) ? failed : ids);
}
