// The colour of the depth below, with ripples that glint.
#include "surface.glsl"

MATERIAL uniform sampler2D ripples;

in vec3 world;
in vec4 color;

out vec4 out_scene;

void main() {
    // Whole repeats are taken off first: floats lose the fraction of large numbers.
    vec4 drift = fract(params.water_drift * frame.time * 1000.0);
    vec2 slope = texture(ripples, world.xy / 6.0 + drift.xy).rg + texture(ripples, world.yx / 9.0 + drift.zw).rg - 1.0;
    vec3 normal = normalize(vec3(-slope * 0.5, 1.0));
    vec3 to_eye = normalize(frame.main_eye.xyz - world);
    vec3 to_light = normalize(params.sun_direction);
    float glint = pow(max(dot(normal, normalize(to_eye + to_light)), 0.0), 60.0);
    float rim = pow(1.0 - max(dot(normal, to_eye), 0.0), 4.0);
    vec3 lit = color.rgb * light(normal, 1.0) + params.sun_color * glint * 0.5 + params.ambient_color * rim * 0.3;
    out_scene = vec4(fog(lit, world.z), clamp(color.a + glint * 0.3 * step(0.01, color.a), 0.0, 1.0));
}
