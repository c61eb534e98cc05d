import { once } from '../../functions/core/concurrency.ts';
import { costsOf, sumOf } from '../support/template/costs.ts';
import { serviceTemplate } from '../support/template/service-template.ts';

/** More than the tests start; each takes a minute or less. */
const BUILDS = 40;
const HOURS_OF_A_MONTH = 730;
/** The synthesis of the template takes seconds. */
const costs = once(() => costsOf(serviceTemplate().ofType));

/** Returns the dollars that a second of a build costs, by the list. */
export function priceOfBuildSecond(): number {
  return sumOf(costs().thousandBuilds) / (1000 * 60);
}

/** Returns the dollars that a day without a deploy costs. */
export function costOfIdleDay(): number {
  return sumOf(costs().idle) / 30;
}

/** Returns what the tests of the sandbox cost with a stack of their own, by the list prices of what it contains. */
export function expectedCost(stack: string): string {
  const { idle, thousandDeploys, thousandBuilds } = costs();
  const builds = ((sumOf(thousandBuilds) + sumOf(thousandDeploys)) / 1000) * BUILDS;
  const hour = sumOf(idle) / HOURS_OF_A_MONTH;
  return `This deploys the stack ${stack} into your account, tests it for about half an hour, and deletes it.
Expected cost, by list prices that no bill has confirmed: ${(builds + hour).toFixed(2)} dollars, for ${BUILDS} builds and an hour of the stack.
What is kept costs a dollar a month (the key), until it is deleted as lib/stack/removal.md says.`;
}
