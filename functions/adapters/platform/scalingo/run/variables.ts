import type { ErrorCode } from '../../../../core/errors.ts';
import { requiredFields, requiredList, textIn } from '../../provider/answers.ts';
import type { ScalingoParts } from '../parts.ts';

/** A variable of an app: https://developers.scalingo.com/environment */
export interface Variable {
  readonly id: string;
  readonly name: string;
  readonly value: string;
}

interface VariableCall {
  readonly code: ErrorCode;
  readonly parts: Pick<ScalingoParts, 'api'>;
}

/** Returns the variables of an app, also those that add-ons have set. */
export async function readVariables(run: string, { code, parts }: VariableCall): Promise<readonly Variable[]> {
  const what = 'the variables';
  const { body } = await parts.api({ method: 'GET', path: ['apps', run, 'variables'], code, what });
  return requiredList(requiredFields(body, code).variables, code).flatMap((one) => {
    const [id, name, value] = ['id', 'name', 'value'].map((field) => textIn(one, field));
    return id !== undefined && name !== undefined && value !== undefined ? [{ id, name, value }] : [];
  });
}

/** Returns the values of the variables of an app, by their names. */
export async function readValues(run: string, call: VariableCall): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await readVariables(run, call)).map(({ name, value }) => [name, value]));
}
