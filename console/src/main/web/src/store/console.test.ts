import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConsoleStore } from './console.ts';

describe('answers on models', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    vi.stubGlobal('localStorage', { getItem: () => null });
    vi.stubGlobal('location', { hash: '' });
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ problem: '', versions: [] }))));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('count beside statuses while they are new, and stay for who looks at models', async () => {
    const store = new ConsoleStore(() => {});
    expect(store.newModels('clicks/0')).toBeUndefined();
    await store.askModels('clicks/0');
    expect(store.newModels('clicks/0')).toBeDefined();
    vi.advanceTimersByTime(60_001);
    expect(store.newModels('clicks/0')).toBeUndefined();
    expect(store.models.get('clicks/0')).toBeDefined();
  });
});
