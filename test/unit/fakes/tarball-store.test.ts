import { expect } from 'vitest';
import { tarballStoreContract } from '../../contracts/tarball-store.ts';
import { memoryTarballs } from '../../fakes/tarball-store.ts';

tarballStoreContract('memory', async () => {
  const store = memoryTarballs();
  return {
    store,
    expectEmpty: async () => expect(store.keys()).toEqual([]),
    close: async () => {},
  };
});
