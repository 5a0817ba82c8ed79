#include "report/svg.h"

#include "report/escape.h"

const char svg_style[] = ".plot{--ink:#1f2328;--faint:#d0d7de;--paper:#ffffff;font:12px system-ui,sans-serif}\n"
                         ".plot text{fill:var(--ink)}\n"
                         ".plot .title{font-weight:600}\n"
                         ".plot .axis{stroke:var(--ink);stroke-width:1;fill:none}\n"
                         ".plot .grid{stroke:var(--faint);stroke-width:1}\n"
                         ".plot .error{stroke:var(--ink);stroke-width:1.2;fill:none}\n"
                         ".plot .clique{stroke:var(--ink);stroke-width:4;stroke-linecap:round}\n"
                         ".plot .line{stroke:var(--c);stroke-width:2;fill:none}\n"
                         ".plot .fill{fill:var(--c)}\n"
                         ".plot .band{fill:var(--c);opacity:.18}\n"
                         ".plot .box{fill:var(--c);fill-opacity:.35;stroke:var(--c);stroke-width:1.5}\n"
                         ".plot .again{stroke-dasharray:5 3}\n"
                         ".plot .s0{--c:#0072b2}.plot .s1{--c:#e69f00}.plot .s2{--c:#009e73}.plot .s3{--c:#cc79a7}\n"
                         ".plot .s4{--c:#56b4e9}.plot .s5{--c:#d55e00}.plot .s6{--c:#8a7d00}.plot .s7{--c:#7f7f7f}\n"
                         "@media (prefers-color-scheme:dark){.plot{--ink:#e6edf3;--faint:#3d444d;--paper:#0d1117}}\n";

void svg_begin(svg *s, bool alone, const char *title, const char *description)
{
    fprintf(s->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" aria-label=\"",
            s->width, s->height, s->width, s->height);
    escape_html(s->out, title);
    fputs("\">\n<title>", s->out);
    escape_html(s->out, title);
    fputs("</title>\n<desc>", s->out);
    escape_html(s->out, description);
    fputs("</desc>\n", s->out);
    if (alone) {
        fprintf(s->out, "<style>\n%s</style>\n<rect width=\"100%%\" height=\"100%%\" style=\"fill:var(--paper)\"/>\n",
                svg_style);
    }
}

void svg_end(svg *s)
{
    fputs("</svg>\n", s->out);
}

void svg_line(svg *s, svg_point from, svg_point to, const char *classes)
{
    fprintf(s->out, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n", classes, from.x, from.y,
            to.x, to.y);
}

void svg_rect(svg *s, svg_point corner, svg_point size, const char *classes)
{
    fprintf(s->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", classes, corner.x,
            corner.y, size.x, size.y);
}

void svg_circle(svg *s, svg_point centre, double radius, const char *classes)
{
    fprintf(s->out, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", classes, centre.x, centre.y, radius);
}

void svg_text(svg *s, svg_point at, svg_anchor anchor, const char *classes, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(s->out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", classes, at.x, at.y,
            anchors[anchor]);
    escape_html(s->out, text);
    fputs("</text>\n", s->out);
}

static void put_points(svg *s, const char *element, const svg_point *points, int64_t count, const char *classes)
{
    fprintf(s->out, "<%s class=\"%s\" points=\"", element, classes);
    for (int64_t i = 0; i < count; i++) fprintf(s->out, "%s%.2f,%.2f", i ? " " : "", points[i].x, points[i].y);
    fputs("\"/>\n", s->out);
}

void svg_polyline(svg *s, const svg_point *points, int64_t count, const char *classes)
{
    put_points(s, "polyline", points, count, classes);
}

void svg_polygon(svg *s, const svg_point *points, int64_t count, const char *classes)
{
    put_points(s, "polygon", points, count, classes);
}

void svg_tip_begin(svg *s, const char *tip)
{
    fputs("<g><title>", s->out);
    escape_html(s->out, tip);
    fputs("</title>\n", s->out);
}

void svg_tip_end(svg *s)
{
    fputs("</g>\n", s->out);
}
