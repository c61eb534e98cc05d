import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import { type BuildResult, outcomeFields } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';

/** Returns the fields of a build that follow from its verdict. */
export function verdictFields(
  verdict: BuildVerdict,
): Pick<BuildResult, 'outcome' | 'passed' | 'pending' | 'state' | 'pullRequest'> {
  return { ...verdict, ...outcomeFields(verdict.outcome) };
}

/**
 * Returns a reader of verdicts, for `defineSender`: it needs only the fields of the schema, and returns null for a body
 * that lacks one of them.
 */
export function verdictReader<const Schema extends v.GenericSchema>(
  schema: Schema,
  verdictOf: (fields: v.InferOutput<Schema>, call: HookCall) => BuildVerdict,
): (call: HookCall) => BuildVerdict | null {
  return (call) => {
    const result = v.safeParse(schema, call.body);
    return result.success ? verdictOf(result.output, call) : null;
  };
}
