import { describe, expect, it } from 'vitest';
import { appName, nameProblem } from '../../../../../functions/core/entry/package-name.ts';
import { packageNames } from '../../../../support/package-names.ts';

describe('the name of an application', () => {
  it.each(packageNames)('of the package %j is %j', (name, app) => {
    expect(nameProblem(name) === null ? appName(name) : null).toBe(app);
    if (app !== null) expect(appName(app)).toBe(app);
  });
});
