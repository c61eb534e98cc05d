import { expect } from 'vitest';
import { memoryTarballs } from '../../../functions/adapters/stores/memory-tarballs.ts';
import { tarballStoreContract } from '../../contracts/tarball-store.ts';

tarballStoreContract('memory', async () => {
  const store = memoryTarballs();
  return {
    store,
    expectEmpty: async () => expect(store.keys()).toEqual([]),
    close: async () => {},
  };
});
