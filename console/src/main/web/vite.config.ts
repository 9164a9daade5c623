import { defineConfig } from 'vitest/config';

/** Where the built page goes: IDLA_WEB_OUT, or the folder that the server serves. */
const outDir = process.env['IDLA_WEB_OUT'] ?? '../resources/web';

export default defineConfig({
  base: './',
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: 'console.js',
        chunkFileNames: 'console-[name].js',
        assetFileNames: (asset) =>
          asset.names.some((name) => name.endsWith('.css')) ? 'console.css' : '[name][extname]',
        codeSplitting: false,
      },
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: { '/api': process.env['IDLA_CONSOLE'] ?? 'http://127.0.0.1:8095' } },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
