'use strict'

/** The files of the page and their types. The script and the style are built from source/. */
exports.PARTS = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8'
}
