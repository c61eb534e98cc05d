import * as v from 'valibot';
import { parse as parseYaml } from 'yaml';
import { OperatorError } from '../../../lib/files/errors.ts';

/** The phases that a buildspec describes, in their order. */
export const PHASES = ['install', 'pre_build', 'build', 'post_build'] as const;
export type PhaseName = (typeof PHASES)[number];

const phase = v.strictObject({
  commands: v.optional(v.array(v.string()), []),
  finally: v.optional(v.array(v.string()), []),
  'on-failure': v.optional(v.picklist(['ABORT', 'CONTINUE'])),
});

/** What is emulated of a buildspec; anything else in one is an error. */
const Buildspec = v.strictObject({
  version: v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.literal('0.2', 'must be 0.2')),
  env: v.optional(
    v.strictObject({
      shell: v.optional(v.picklist(['sh', '/bin/sh', 'bash']), 'sh'),
      variables: v.optional(v.record(v.string(), v.pipe(v.union([v.string(), v.number()]), v.transform(String))), {}),
    }),
    {},
  ),
  phases: v.strictObject({
    install: v.optional(phase),
    pre_build: v.optional(phase),
    build: v.optional(phase),
    post_build: v.optional(phase),
  }),
});
export type Buildspec = v.InferOutput<typeof Buildspec>;

/**
 * Reads a buildspec, in YAML or JSON.
 *
 * @param of whose it is, for the message
 * @throws OperatorError for one that is not valid, or asks for more than is emulated
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html
 */
export function parseBuildspec(text: string, of: string): Buildspec {
  const result = v.safeParse(Buildspec, parseYaml(text));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new OperatorError(`The buildspec of ${of} does not run here: ${v.getDotPath(issue) ?? 'it'} ${issue.message}.`);
}
