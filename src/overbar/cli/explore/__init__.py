"""The page of ``overbar explore``: it shows what the library computes, and computes nothing itself.

`serving` starts it, `guard` decides who is answered, and each station has a file. `page.html`,
`page.js` and `page.css` are sent as they are. Plans are computed here, by what ``overbar plan``
uses. Tables are read, and budgets spent, by the command that the page shows, in a process of its
own: so the page promises what the command line promises, and a page that dies takes no run with it.
"""
