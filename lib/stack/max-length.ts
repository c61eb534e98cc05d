/**
 * Texts that become variables of functions have limits, because all variables of a function have 4 KB: what is longer
 * would fail in the middle of a deploy. A variable of a stage has 512 characters.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const MAX_LENGTH = { address: 255, origins: 512, hosts: 1100, name: 100, region: 30, mail: 254 } as const;
