import { DeployError } from '../../../../core/errors.ts';
import type { AppVariables, VariableChanges, VariableDecision } from '../../../../core/ports/applications.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { onAws } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';
import { checkSize, checkVariable, type Variables } from './environment.ts';
import { variableSeal } from './sealed-variables.ts';

type VariableParts = Pick<LambdaPlatformParts, 'table' | 'kms' | 'sealingKey'>;

const TRIES = 5;
const CODE = 'request:failed';

export function lambdaAppVariables(parts: VariableParts): AppVariables {
  const { table } = parts;
  const what = ({ app }: AppRef) => `the variables of ${app}`;
  return {
    read: (app) =>
      onAws(CODE, what(app), async () => {
        const item = await table.read(keys.app(app));
        return item ? variableSeal(parts).open(app, item.variables) : null;
      }),
    set: (app, changes) => onAws(CODE, what(app), () => change(app, (known) => withChanges(known, changes), parts)),
    unset: (app, name) =>
      onAws(CODE, what(app), () =>
        change(app, ({ [name]: removed, ...kept }) => (removed === undefined ? null : kept), parts),
      ),
    create: (app, packageName) =>
      onAws(CODE, what(app), async () => {
        await table.write(keys.app(app), { name: packageName });
      }),
  };
}

function withChanges(known: Variables, decided: VariableChanges | VariableDecision): Variables {
  const changes = typeof decided === 'function' ? decided(known) : decided;
  for (const [name, value] of Object.entries(changes)) if (value !== null) checkVariable(name, value);
  const all = Object.entries({ ...known, ...changes });
  return Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== null));
}

/**
 * Writes changed variables unless another call was faster, and then tries again. False: no such application, or no
 * change.
 */
async function change(
  app: AppRef,
  next: (known: Variables) => Variables | null,
  parts: VariableParts,
): Promise<boolean> {
  const seal = variableSeal(parts);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const item = await parts.table.read(keys.app(app));
    const changed = item && next(await seal.open(app, item.variables));
    if (!changed) return false;
    checkSize(changed);
    const condition = { attribute: 'variables', is: item.variables ?? null } as const;
    if (await parts.table.write(keys.app(app), { variables: await seal.seal(app, changed) }, condition)) return true;
  }
  throw new DeployError(CODE, 'The variables are being changed by others; try again.', { retry: true });
}
