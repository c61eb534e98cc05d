/** The user of the tests; apart from the harness, so that a process without vitest can have it. */
export const login = { user: 'ada', password: 'correct horse' };
