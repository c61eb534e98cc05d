import { expect, it } from 'vitest';
import { environmentOf, masked } from '../../../../../../functions/adapters/platform/aws-lambda/run/environment.ts';

it.each(['KEY', 'constructor', 'toString'])('the value of the variable %s is not in the lines of a log', (name) => {
  const environment = environmentOf({ [name]: 'canary-value' }, '1.0.0-7');
  expect(masked(['1.0.0-7 got canary-value'], environment)).toEqual(['1.0.0-7 got ***']);
});
